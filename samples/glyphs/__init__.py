"""Pictures of single characters in many fonts, and the training of the reader of glyphs that `layout` ships."""
