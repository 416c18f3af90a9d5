"""Pages and figures as images that a model gets: sizes by its own rule, legible, the same bytes each time."""
