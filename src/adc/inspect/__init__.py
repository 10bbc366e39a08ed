"""Looking at what adc made: generated source."""
