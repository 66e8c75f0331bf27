import FeedFeature
import FeedPresentation
import Foundation

/// The publisher of an image, and the date.
struct Byline {
    let author: String?
    let timestamp: String?
    let date: String?
    let fullDate: String?

    init(_ image: FeedImageViewModel, visit: Visit) {
        author = image.author
        let published = image.source.publishedAt
        timestamp = published?.ISO8601Format()
        date = image.date
        fullDate = published.map { visit.language.fullText(of: $0, calendar: .page) }
    }
}

extension Calendar {
    /// The calendar of dates for readers whose time zone is unknown; the script shows their own.
    static let page = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
