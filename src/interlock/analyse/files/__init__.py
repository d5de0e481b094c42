"""Files: links, the meaning of names, and files whose content makes programs act."""
