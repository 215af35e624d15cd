"""Five published sets of measurements, as data, and the code that reproduces them on the bench."""
