import Duet
import DuetHTTPCaching
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EpochTests {
    private let uri = HashedURI("https://origin.example/a")
    private let epochs = ResponseEpochs()

    @Test func `a response is stored in the epoch in which its request was looked up`() {
        let epoch = epochs.current(uri)
        #expect(epochs.isCurrent(epoch))
        #expect(epochs.beginCommit(epoch))
        epochs.endCommit(epoch)
        #expect(epochs.isCurrent(epoch))
    }

    @Test(arguments: [true, false])
    func `a response from before an invalidation is not stored`(isOfAll: Bool) async {
        let epoch = epochs.current(uri)
        if isOfAll { await epochs.advanceAll() } else { await epochs.advance(uri) }
        #expect(!epochs.isCurrent(epoch))
        #expect(!epochs.beginCommit(epoch))
        #expect(epochs.isCurrent(epochs.current(uri)))
    }

    @Test func `the response that invalidates a URI may be stored under it`() async throws {
        let before = epochs.current(uri)
        let after = try #require(await epochs.advance(uri, keeping: before))
        #expect(!epochs.isCurrent(before))
        #expect(epochs.isCurrent(after))
        // Another one has invalidated the URI meanwhile.
        #expect(await epochs.advance(uri, keeping: before) == nil)
    }

    @Test func `the epoch of a response survives the invalidation of other URIs by it`() async throws {
        var own = await epochs.advance(uri, keeping: epochs.current(uri))
        for number in 1...1000 { own = await epochs.advance(HashedURI("\(number)"), keeping: own) }
        #expect(epochs.isCurrent(try #require(own)))
    }

    @Test(arguments: [true, false])
    func `an invalidation waits for commits in progress`(isOfAll: Bool) async {
        let epoch = epochs.current(uri)
        for _ in 1...2 { #expect(epochs.beginCommit(epoch)) }
        let invalidation = Task.startingHere { [epochs, uri] in
            if isOfAll { await epochs.advanceAll() } else { await epochs.advance(uri) }
            return epochs.hasChanged(since: epoch)
        }
        // Nothing is stored from now on.
        #expect(!epochs.isCurrent(epoch))
        for _ in 1...2 { epochs.endCommit(epoch) }
        // The commits had ended when the invalidation did.
        #expect(await (try? invalidation.value) == true)
    }

    @Test func `an invalidation does not wait for the commits of other URIs`() async {
        let other = epochs.current(HashedURI("https://origin.example/b"))
        #expect(epochs.beginCommit(other))
        await epochs.advance(uri)
        epochs.endCommit(other)
    }

    @Test func `stored and updated responses are noticed`() {
        let epoch = epochs.current(uri)
        #expect(!epochs.hasChanged(since: epoch))
        epochs.noteChange(of: uri)
        #expect(epochs.hasChanged(since: epoch))
        let next = epochs.current(uri)
        #expect(epochs.beginCommit(next))
        #expect(!epochs.hasChanged(since: next))
        epochs.endCommit(next)
        #expect(epochs.hasChanged(since: next))
    }
}
