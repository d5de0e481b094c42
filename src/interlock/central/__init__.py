"""Central policies: a server issues signed bundles, and other machines pull them."""
