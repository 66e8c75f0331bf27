import Foundation

extension SearchFeed {
    /// Finds the images within a cached feed, which has the newest image first.
    ///
    /// All results are one page. A cached feed has neither the times of publication nor the numbers of comments, so the
    /// conditions that need them are left out, and the page names them.
    package func results(in feed: FeedPage) -> FeedSearchPage {
        let text = SearchText(searchText)
        let images = feed.images.filter { image in
            let isLocated = image.location?.isEmpty == false
            return text.matches(image) && filter?.hasLocation != !isLocated
        }
        return FeedSearchPage(
            images: order == .oldest ? images.reversed() : images,
            source: feed.source,
            failure: feed.failure,
            unapplied: remoteConditions
        )
    }

    /// The conditions of this query that only the server can apply.
    private var remoteConditions: Set<FeedSearchPage.Condition> {
        var conditions: Set<FeedSearchPage.Condition> = []
        if filter?.hasComments != nil { conditions.insert(.hasComments) }
        if filter?.publishedSince != nil { conditions.insert(.publishedSince) }
        if order == .mostCommented { conditions.insert(.mostCommented) }
        return conditions
    }
}
