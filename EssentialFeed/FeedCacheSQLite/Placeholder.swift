import GRDB
enum NothingFeedCacheSQLite {}
