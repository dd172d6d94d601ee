"""What is around the agent."""
