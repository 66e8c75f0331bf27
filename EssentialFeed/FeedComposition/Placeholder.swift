enum NothingFeedComposition {}
