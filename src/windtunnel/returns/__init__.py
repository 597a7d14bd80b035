"""What runs gained over time: histories, rankings, forecasts, and when to stop."""
