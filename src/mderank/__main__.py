"""``python -m mderank``: the command line, also where no scripts are on the path."""

from mderank.cli import main

if __name__ == "__main__":
    main()
