"""ingest: files in, page images out; quarantine and the watch folder."""
