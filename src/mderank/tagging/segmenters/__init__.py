"""Words and tags of Chinese, Japanese, Korean and Thai, whose words are not, or not all, separated by spaces."""

from mderank.tagging.segmenters.tagger import LIBRARIES, SegmenterTagger

__all__ = ["LIBRARIES", "SegmenterTagger"]
