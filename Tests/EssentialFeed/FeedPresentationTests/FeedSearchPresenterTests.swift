import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import Testing

@Suite struct FeedSearchPresenterTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let failure = RemoteFailure.connectivity("refused")

    @Test(
        arguments: [
            (.english, "Search: cat", "Search"), (.greek, "Αναζήτηση: cat", "Αναζήτηση"),
            (.brazilianPortuguese, "Busca: cat", "Buscar"),
        ] as [(Language, String, String)]
    )
    func `the title names the text, if there is one`(_ language: Language, _ title: String, _ untitled: String) {
        let page = FeedSearchPage(images: [], source: .remote)

        #expect(presenter(language).present(page, of: SearchFeed("cat")).title == title)
        #expect(presenter(language).present(page, of: SearchFeed(order: .oldest)).title == untitled)
    }

    @Test func `a text with a placeholder is shown as it is`() {
        let shown = presenter().present(FeedSearchPage(images: [], source: .remote), of: SearchFeed("100 %@ %d"))

        #expect(shown.title == "Search: 100 %@ %d")
    }

    @Test(arguments: [
        (1, "1 image found"), (2, "2 images found"), (9, "9 images found"), (10, "At least 10 images found"),
    ])
    func `the first page states how many images were found`(_ count: UInt8, _ text: String) {
        let shown = presenter().present(FeedSearchPage(images: found(count), source: .remote), of: SearchFeed("cat"))

        #expect(shown.found == text)
        #expect(shown.images.count == count)
        #expect(shown.images.first?.commentCount == 1)
        #expect(shown.lastImage == found(count).last?.id)
        #expect(shown.age == nil)
        #expect(shown.notice == nil)
    }

    @Test func `without results, a text says so`() {
        let shown = presenter().present(FeedSearchPage(images: [], source: .remote), of: SearchFeed("cat"))

        #expect(shown.emptyMessage == "No images match this search.")
        #expect(shown.found == nil)
    }

    @Test func `an empty later page is the end of the results`() {
        let query = SearchFeed("cat", after: FeedCursor(imageID: .fixture(1)))
        let shown = presenter().present(FeedSearchPage(images: [], source: .remote), of: query)

        #expect(shown.emptyMessage == "No more images")
        #expect(shown.found == nil)
        #expect(presenter().present(FeedSearchPage(images: found(2), source: .remote), of: query).found == nil)
    }

    @Test(
        arguments: [
            (.english, "Searched in the feed saved 5 minutes ago"),
            (.greek, "Αναζήτηση στο feed που αποθηκεύτηκε πριν από 5 λεπτά"),
            (.brazilianPortuguese, "Busca no feed salvo há 5 minutos"),
        ] as [(Language, String)]
    )
    func `results from the saved feed are one page, with its age and the failure`(_ language: Language, _ age: String) {
        let page = FeedSearchPage(
            images: found(12),
            source: .cache(savedAt: now.addingTimeInterval(-300)),
            failure: failure
        )
        let shown = presenter(language).present(page, of: SearchFeed("cat"))

        #expect(shown.age == age)
        #expect(shown.savedAt == now.addingTimeInterval(-300))
        #expect(shown.error == language[.connectionError])
        #expect(shown.found == language.text(.searchFound, 12))
        #expect(shown.lastImage == nil)
    }

    @Test func `a saved feed without results says so beside the failure`() {
        let page = FeedSearchPage(images: [], source: .cache(savedAt: now), failure: failure)

        #expect(presenter().present(page, of: SearchFeed("cat")).emptyMessage == "No images match this search.")
    }

    @Test func `without server and saved feed, only the failure is shown`() {
        let page = FeedSearchPage(images: [], source: .nowhere, failure: failure)
        let shown = presenter().present(page, of: SearchFeed("cat"))

        #expect(shown.error == "Couldn't connect to server")
        #expect(shown.emptyMessage == nil)
    }

    @Test func `conditions that were left out are named in a fixed order`() {
        let page = FeedSearchPage(
            images: found(1),
            source: .cache(savedAt: now),
            failure: failure,
            unapplied: [.mostCommented, .publishedSince, .hasComments]
        )

        #expect(
            presenter().present(page, of: SearchFeed()).notice
                == "Only the server can apply: With comments · Published · Most comments first"
        )
    }

    private func presenter(_ language: Language = .english) -> FeedPresenter {
        FeedPresenter(language: language, now: now, calendar: .utc)
    }

    private func found(_ count: UInt8) -> [FeedImage] {
        (1...count).map { number in
            FeedImage(
                id: .fixture(Int(number)),
                publishedAt: now,
                commentCount: Int(number),
                url: URL(filePath: "/images/any.jpg")
            )
        }
    }
}
