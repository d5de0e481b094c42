"""What commands print, pass on and send."""
