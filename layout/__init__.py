"""layout: from one page image (and its text layer) to lines, columns, figures, tables and boxes."""
