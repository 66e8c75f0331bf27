import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import Testing

@Suite struct FeedPresenterTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let cat = FeedImage(id: .fixture(1), description: "A cat", location: "A sofa", url: anyURL)
    private let dog = FeedImage(id: .fixture(2), url: anyURL)

    @Test func `a page from the server shows its images in order and nothing else`() {
        let shown = presenter().present(FeedPage(images: [cat, dog], source: .remote))

        #expect(shown.title == "My Feed")
        #expect(shown.images.map(\.id) == [cat.id, dog.id])
        #expect(shown.error == nil)
        #expect(shown.age == nil)
        #expect(shown.emptyMessage == nil)
        #expect(shown.lastImage == dog.id)
    }

    @Test func `an author is shown without invisible characters`() {
        let image = FeedImage(id: .fixture(1), author: "Ada\u{202E}\u{E0041} 👩\u{200D}🚀", url: anyURL)
        let shown = presenter().present(FeedPage(images: [image], source: .remote)).images.first?.author
        #expect(shown?.unicodeScalars.elementsEqual("Ada 👩\u{200D}🚀".unicodeScalars) == true)
    }

    @Test func `an empty page from the server says so and ends the feed`() {
        let shown = presenter().present(FeedPage(images: [], source: .remote))

        #expect(shown.images.isEmpty)
        #expect(shown.emptyMessage == "There are no images yet.")
        #expect(shown.error == nil)
        #expect(shown.lastImage == nil)
    }

    @Test(
        arguments: [
            (.english, "Couldn't connect to server", "Saved 5 minutes ago"),
            (.greek, "Δεν ήταν δυνατή η σύνδεση στο διακομιστή", "Αποθηκεύτηκε πριν από 5 λεπτά"),
            (.brazilianPortuguese, "Não foi possível conectar com o servidor", "Salvo há 5 minutos"),
        ] as [(Language, String, String)]
    )
    func `a cached page shows its images, its age and the error`(_ language: Language, _ error: String, _ age: String) {
        let page = FeedPage(
            images: [cat],
            source: .cache(savedAt: now.addingTimeInterval(-300)),
            failure: .connectivity("refused")
        )
        let shown = presenter(language).present(page)

        #expect(shown.images.map(\.id) == [cat.id])
        #expect(shown.error == error)
        #expect(shown.age == age)
        #expect(shown.savedAt == now.addingTimeInterval(-300))
    }

    @Test func `with nothing usable the list is empty and the error shows the reason`() {
        let page = FeedPage(images: [], source: .nowhere, failure: .connectivity("refused"))
        let shown = presenter().present(page)

        #expect(shown.images.isEmpty)
        #expect(shown.error == "Couldn't connect to server")
        #expect(shown.emptyMessage == nil)
    }

    @Test func `an error shows its message and no images`() {
        let shown = presenter().present(RemoteFailure.invalidData("no items"))

        #expect(shown.images.isEmpty)
        #expect(shown.error == "The server's response could not be used")
        #expect(shown.emptyMessage == nil)
        #expect(shown.lastImage == nil)
    }

    @Test func `a canceled load shows nothing`() {
        let shown = presenter().present(CancellationError())

        #expect(shown.error == nil)
        #expect(shown.emptyMessage == nil)
    }

    @Test func `an image shows its description and location`() {
        let shown = FeedImageViewModel(cat, language: .english)

        #expect(shown.description == "A cat")
        #expect(shown.location == "A sofa")
        #expect(shown.label == "A cat")
    }

    @Test(arguments: [nil, "", " \n\t"] as [String?])
    func `absent and blank texts have no rows`(_ text: String?) {
        let image = FeedImage(id: .fixture(3), description: text, location: text, url: anyURL)
        let shown = FeedImageViewModel(image, language: .brazilianPortuguese)

        #expect(shown.description == nil)
        #expect(shown.location == nil)
        #expect(shown.label == "Imagem sem descrição")
    }

    @Test func `an image without a description is labeled by its location`() {
        let image = FeedImage(id: .fixture(4), location: "A sofa", url: anyURL)

        #expect(FeedImageViewModel(image, language: .english).label == "A sofa")
    }

    private func presenter(_ language: Language = .english) -> FeedPresenter {
        FeedPresenter(language: language, now: now, calendar: .utc)
    }
}

private let anyURL = URL(filePath: "/images/any.jpg")
