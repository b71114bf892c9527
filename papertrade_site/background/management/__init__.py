"""Operations on the command line."""
