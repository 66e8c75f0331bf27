import FeedFeature
import Foundation
package import Hummingbird

/// A reader's position in the feed or in the results of a search, as the parameters of an address state it.
package struct FeedPosition: Sendable {
    /// The search; nil for the whole feed.
    let search: Search?

    /// The last image of the previous page; nil for the first page.
    let last: FeedCursor?
}

extension FeedPosition {
    /// Reads the parameters of a request.
    ///
    /// - Throws: `HTTPError` with 400 if one of them is invalid.
    package init(_ request: Request) throws {
        let fields = request.query
        search = try Search(fields)
        last = try fields.optional("after").map { text in
            guard let id = UUID(text: text) else { throw HTTPError(.badRequest) }
            let count = try fields.optional("after_comments").map { text in
                guard let count = Int(text), count >= 0 else { throw HTTPError(.badRequest) }
                return count
            }
            return FeedCursor(imageID: id, commentCount: count)
        }
    }

    /// The parameters that lead here again; none for a search whose text is too long.
    package var parameters: [String: String] {
        guard (search?.words.unicodeScalars.count ?? 0) <= SearchFeed.textLimit else { return [:] }
        var parameters = search?.parameters ?? [:]
        parameters["after"] = last?.imageID.uuidString
        parameters["after_comments"] = last?.commentCount.map(String.init)
        return parameters
    }
}

/// A reader's search, with the parameters of the API's `v1/feed/search`.
///
/// The parameter `published_since` is a period here, because a form without script cannot state a date relative to now.
struct Search {
    /// A period that ends now.
    enum Period: String, CaseIterable {
        case day, week, month

        var days: Int {
            switch self {
            case .day: 1
            case .week: 7
            case .month: 30
            }
        }
    }

    /// The search text, without redundant white space; empty for none.
    let words: String
    let hasLocation: Bool
    let hasComments: Bool
    let period: Period?
    let order: FeedOrder

    /// Reads a search; nil if all of its parameters are absent or empty, so that the whole feed is in view.
    ///
    /// - Throws: `HTTPError` with 400 if a parameter is invalid.
    init?(_ fields: Form) throws {
        func value<Value>(_ name: String, _ parse: (String) -> Value?) throws -> Value? {
            try fields.optional(name).map { text in
                guard let value = parse(text) else { throw HTTPError(.badRequest) }
                return value
            }
        }
        words = SearchFeed(fields["q"]).searchText ?? ""
        hasLocation = try value("has_location") { $0 == "true" ? true : nil } ?? false
        hasComments = try value("has_comments") { $0 == "true" ? true : nil } ?? false
        period = try value("published_since", Period.init)
        order = try value("sort", FeedOrder.init) ?? .newest
        guard !words.isEmpty || hasLocation || hasComments || period != nil || order != .newest else { return nil }
    }

    /// The parameters of an address, without defaults.
    var parameters: [String: String] {
        var parameters: [String: String] = [:]
        if !words.isEmpty { parameters["q"] = words }
        if hasLocation { parameters["has_location"] = "true" }
        if hasComments { parameters["has_comments"] = "true" }
        parameters["published_since"] = period?.rawValue
        if order != .newest { parameters["sort"] = order.rawValue }
        return parameters
    }

    /// Returns the query for a page of results.
    ///
    /// A period begins at a full minute, so that readers who search at the same time share the results.
    func query(after last: FeedCursor?, limit: Int, now: Date, calendar: Calendar) -> SearchFeed {
        let since = period.flatMap { calendar.date(byAdding: .day, value: -$0.days, to: now) }
        let filter = FeedFilter(
            hasLocation: hasLocation ? true : nil,
            hasComments: hasComments ? true : nil,
            publishedSince: since.map {
                Date(timeIntervalSince1970: ($0.timeIntervalSince1970 / 60).rounded(.down) * 60)
            }
        )
        return SearchFeed(words, filter: filter, order: order, after: last, limit: limit)
    }
}
