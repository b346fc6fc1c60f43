"""Results for use outside the program: the report, its pictures, and tables for papers and spreadsheets."""
