"""Finding out which driver policies are wrong: every short sequence and every layout, on the model."""
