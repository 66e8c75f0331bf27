import Mustache
import Hummingbird
enum NothingFeedWeb {}
