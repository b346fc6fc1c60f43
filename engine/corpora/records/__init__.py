"""What records of all shapes share: checked fields, spans, mentions that include their own words."""
