"""From recorded episodes to numbers: results of tasks and metrics of suites."""
