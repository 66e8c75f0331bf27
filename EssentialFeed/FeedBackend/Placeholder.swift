import Hummingbird
enum NothingFeedBackend {}
