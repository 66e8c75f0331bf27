package import FeedFeature
package import GRDB

/// The SQL statement of a search.
///
/// A page in each order is a range of one index, so it costs the same in a feed of any length. A text and a filter are
/// tested image by image from there, until the page is full.
package struct SearchStatement {
    /// The place of an image in the orders of the feed.
    package struct Start {
        let position: Int64
        let commentCount: Int

        package init(position: Int64, commentCount: Int) {
            self.position = position
            self.commentCount = commentCount
        }

        /// The column `rank` of such an image: by number of comments, then by position.
        var rank: Int64 { min(Int64(commentCount), Int64.max >> 40) << 40 | position }
    }

    /// The text of the statement, whose arguments are placeholders.
    package var sql: String {
        let conditions = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND ")) "
        return "SELECT \(FeedImage.columns) FROM image \(conditions)ORDER BY \(order) LIMIT ?"
    }

    package private(set) var arguments = StatementArguments()

    private var conditions: [String] = []
    private let order: String

    /// - Parameter start: The place after which the page begins; nil for the first page.
    package init(_ query: SearchFeed, start: Start?) {
        switch query.order {
        case .newest:
            order = "position DESC"
            if let start { add("position < ?", [start.position]) }
        case .oldest:
            order = "position"
            if let start { add("position > ?", [start.position]) }
        case .mostCommented:
            order = "rank DESC"
            if let start { add("rank < ?", [start.rank]) }
        }
        add(query.filter)
        // Not LIKE, whose wildcards and case rules have no place in a text that people type.
        for word in SearchText(query.searchText).words { add("instr(search_text, ?)", [word]) }
        arguments += [query.limit]
    }

    private mutating func add(_ filter: FeedFilter?) {
        if let hasLocation = filter?.hasLocation { add("(location IS NOT NULL) = ?", [hasLocation]) }
        if let hasComments = filter?.hasComments { add("(comment_count > 0) = ?", [hasComments]) }
        if let date = filter?.publishedSince { add("published_at >= ?", [date.millisecondsSince1970]) }
    }

    private mutating func add(_ condition: String, _ values: StatementArguments) {
        conditions.append(condition)
        arguments += values
    }
}
