"""Results that leave the program: the report, its pictures, and tables for papers and spreadsheets."""
