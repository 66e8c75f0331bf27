enum NothingFeedAPI {}
