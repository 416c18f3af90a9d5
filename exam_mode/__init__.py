"""exam_mode: vision-language models sit the papers of a workspace, in every input form."""
