"""samples: papers that were invented for this project, with truth, as PDFs, scans and photos."""
