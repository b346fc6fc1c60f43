"""What records of any shape share: checked fields, spans, mentions that say their own words."""
