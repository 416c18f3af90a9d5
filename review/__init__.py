"""review: HTML previews of papers beside their pages."""
