import FeedFeature
import FeedPresentation
import Foundation

/// Fills the template for the images of a page of the feed.
struct CardList {
    /// One image of the feed, with the address of its page.
    struct Card {
        let id: UUID
        let picture: Picture
        let title: String?
        let byline: Byline
        let location: String?
        let label: String
        let address: String
        /// Whether the image is in view at once, so that waiting for the layout would only delay it.
        let isEager: Bool
        let isFirst: Bool
        /// The number of comments; nil for none.
        let commentCount: Int?
        let commentCountText: String?
        /// The number of comments by which the next page is found; 0 if it is unknown.
        let orderCount: Int?
    }

    /// The number of images in the first row of a wide window.
    private static let eagerCount = 3

    let cards: [Card]
    let text: [String: String]

    init(_ images: [FeedImageViewModel], at position: FeedPosition, visit: Visit) {
        cards = images.enumerated().map { index, image in
            let isEager = index < Self.eagerCount && visit.path == "/"
            return Card(
                id: image.id,
                picture: Picture(image.source, in: .feed(isLazy: !isEager)),
                title: image.title,
                byline: Byline(image, visit: visit),
                location: image.location,
                label: image.label,
                address: visit.link(to: "/images/\(image.id)", visit.position),
                isEager: isEager,
                isFirst: isEager && index == 0,
                commentCount: image.commentCount.flatMap { $0 > 0 ? $0 : nil },
                commentCountText: visit.language.commentCountText(image.commentCount),
                orderCount: position.search?.order == .mostCommented ? image.commentCount : nil
            )
        }
        text = PageTexts.templates[visit.language] ?? [:]
    }
}

/// What determines the HTML of images beside the images: the language and the links, which keep the reader's place.
struct CardPlace: Hashable {
    private let language: Language
    private let chosenLanguage: Language?
    private let position: [String: String]
    private let isFeed: Bool

    init(_ visit: Visit) {
        language = visit.language
        chosenLanguage = visit.chosenLanguage
        position = visit.position
        isFeed = visit.path == "/"
    }
}

typealias RenderedCards = RenderedLists<CardPlace, [FeedImageViewModel], String>
