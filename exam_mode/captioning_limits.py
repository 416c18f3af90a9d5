"""Numbers of captioning that light modules need too."""

CAPTION_TOKENS = 2048  # cap of one caption
