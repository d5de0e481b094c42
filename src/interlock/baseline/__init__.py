"""The baselines of agents for policies: what they did in the days before, by actions that were allowed or approved."""
