"""Indices of the u64 words in the page that the controller shares with a side during a timed window."""

PAGE_GO, PAGE_DONE, PAGE_ARMED = 0, 1, 2
