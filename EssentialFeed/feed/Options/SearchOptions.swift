import ArgumentParser
import FeedFeature

/// A search of the feed, in place of the whole feed.
struct SearchOptions: ParsableArguments {
    enum Filter: String, CaseIterable, ExpressibleByArgument {
        case hasLocation = "has-location"
        case hasComments = "has-comments"
    }

    enum Sort: String, CaseIterable, ExpressibleByArgument {
        case newest
        case oldest
        case mostCommented = "most-commented"

        var order: FeedOrder {
            switch self {
            case .newest: .newest
            case .oldest: .oldest
            case .mostCommented: .mostCommented
            }
        }
    }

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Load only images whose texts contain all of these words.", valueName: "words")
    )
    var search: String?

    @Option(help: ArgumentHelp("The order of the images.", valueName: "order"))
    var sort: Sort?

    @Option(help: ArgumentHelp("Load only images that meet this condition; can be repeated.", valueName: "condition"))
    var filter: [Filter] = []

    /// Returns the query for a page, or nil to load the whole feed.
    func query(after cursor: FeedCursor? = nil, limit: Int) -> SearchFeed? {
        guard search != nil || sort != nil || !filter.isEmpty else { return nil }
        let filter = FeedFilter(
            hasLocation: filter.contains(.hasLocation) ? true : nil,
            hasComments: filter.contains(.hasComments) ? true : nil
        )
        return SearchFeed(search, filter: filter, order: sort?.order ?? .newest, after: cursor, limit: limit)
    }

    func validate() throws {
        do {
            try query(limit: 1)?.validate()
        } catch let fault as InvalidMessage {
            throw ValidationError("--search \(fault.reason).")
        }
    }
}
