enum NothingFeedPresentation {}
