"""What can be measured of a project and its runs, each with its formula."""
