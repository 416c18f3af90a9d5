"""parse_templates: from page layouts to questions, by templates that are data."""
