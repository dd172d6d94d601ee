"""What models are told of the things that can occur, and of the rules: functions of a suite's vocabulary alone."""
