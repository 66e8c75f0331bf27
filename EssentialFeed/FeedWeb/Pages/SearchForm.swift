import FeedFeature
import FeedPresentation

struct SearchForm {
    struct Choice {
        let value: String
        let label: String
        let isSelected: Bool
    }

    /// Whether the page shows the results of a search.
    let isActive: Bool
    let words: String
    let wordsLimit = SearchFeed.textLimit
    /// The fault of the words; nil without one.
    let fault: String?
    let hasLocation: Bool
    let hasComments: Bool
    let periods: [Choice]
    let orders: [Choice]
    /// The address of the whole feed.
    let clear: String

    init(_ search: Search?, fault: String? = nil, visit: Visit) {
        let language = visit.language
        isActive = search != nil
        words = search?.words ?? ""
        self.fault = fault
        hasLocation = search?.hasLocation == true
        hasComments = search?.hasComments == true
        periods =
            [Choice(value: "", label: language[.searchAnyTime], isSelected: search?.period == nil)]
            + Search.Period.allCases.map { period in
                Choice(value: period.rawValue, label: language[period.text], isSelected: period == search?.period)
            }
        orders = FeedOrder.allCases.map { order in
            Choice(
                value: order == .newest ? "" : order.rawValue,
                label: language[order.text],
                isSelected: order == search?.order ?? .newest
            )
        }
        clear = visit.link(to: "/")
    }
}

extension Search.Period {
    fileprivate var text: Text {
        switch self {
        case .day: .searchDay
        case .week: .searchWeek
        case .month: .searchMonth
        }
    }
}

extension FeedOrder {
    fileprivate var text: Text {
        switch self {
        case .newest: .searchNewest
        case .oldest: .searchOldest
        case .mostCommented: .searchMostCommented
        }
    }
}
