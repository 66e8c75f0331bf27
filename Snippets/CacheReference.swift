//! The parts of a query cache: policies, tags, scopes, weights, read modes, stores, layers, and invalidation.

import Duet
import DuetCaching
import DuetContext
import Foundation

struct LoadFeed: Query, Hashable, Codable {
    typealias Value = [String]

    var page = 1
}

struct LoadComments: Query, Hashable {
    typealias Value = [String]

    let imageID: Int
}

struct LoadProfile: Query, Hashable {
    typealias Value = String

    let userID: Int
}

struct LoadPhoto: Query, Hashable {
    typealias Value = Data

    let id: Int
}

struct Rates: Sendable {
    let etag: String
    let euro: Double
}

struct LoadRates: Query, Hashable {
    typealias Value = Rates
}

/// Requests rates only if they have changed.
struct LoadRatesIfChanged: Query {
    typealias Value = Rates?

    let etag: String
}

struct PublishImage: Command {}

struct RemoveImage: Command {
    let imageID: Int
}

struct PostComment: Command {
    let imageID: Int
}

struct RenameUser: Command {
    let userID: Int
}

struct SignOut: Command {}

/// Handles a query with one value, or a command with nothing.
struct Returning<Message: Duet.Message>: Handler where Message.Value: Sendable {
    let value: Message.Value

    func handle(_ message: Message) async throws -> Message.Value { value }
}

extension Returning: QueryHandler where Message: Query {}
extension Returning: CommandHandler where Message: Command {}

let remote = try StandardDispatcher {
    Returning<LoadFeed>(value: ["Harbor"])
    Returning<LoadComments>(value: [])
    Returning<LoadProfile>(value: "Ann")
    Returning<LoadPhoto>(value: Data(count: 100_000))
    Returning<LoadRates>(value: Rates(etag: "1", euro: 1.1))
    Returning<LoadRatesIfChanged>(value: nil)
    Returning<PublishImage>(value: ())
    Returning<RemoveImage>(value: ())
    Returning<PostComment>(value: ())
    Returning<RenameUser>(value: ())
    Returning<SignOut>(value: ())
}

// snippet.cache
let cache = try QueryCache(in: .memory(limit: .entries(10_000))) {
    Cache(LoadFeed.self, .maxAge(.days(7)).staleWhileRevalidate(.minutes(5)))
    Cache(LoadComments.self, .maxAge(.seconds(10)))
    Invalidate(LoadFeed.self, after: PublishImage.self, RemoveImage.self)
    Invalidate(LoadComments.self, after: PostComment.self) { query, command in query.imageID == command.imageID }
}
let dispatcher = remote.caching(with: cache)
// snippet.end

// snippet.policy
let feedPolicy = CachePolicy<[String]>
    .maxAge(.minutes(5))
    .staleWhileRevalidate(.hours(1))
    .staleIfError(.days(7))
    .softTimeout(.seconds(2))
    .hardTimeout(.seconds(10))
// snippet.end

// snippet.tags
let profiles = try remote.caching(in: .memory(limit: .entries(1_000))) {
    Cache(LoadProfile.self, .maxAge(.hours(1)), tags: { ["account", "user:\($0.userID)"] })
    Invalidate(tags: { ["user:\($0.userID)"] }, after: RenameUser.self)
    Invalidate(tag: "account", after: SignOut.self)
}
// snippet.end

// snippet.scope
let profile = try await withPrincipal(Principal(id: "ann")) {
    try await profiles.dispatch(LoadProfile(userID: 7))
}
// snippet.end
print(profile)
try await profiles.dispatch(RenameUser(userID: 7))

// snippet.weight
let photos = try remote.caching(in: .memory(limit: .weight(64 * 1_024 * 1_024))) {
    Cache(LoadPhoto.self, .maxAge(.days(30)), scope: .shared, weight: \.count)
}
// snippet.end
print(try await photos.dispatch(LoadPhoto(id: 1)).count)

// snippet.refresh
let rates = try remote.caching(in: .memory(limit: .entries(10))) {
    Cache(
        LoadRates.self,
        .maxAge(.minutes(1)),
        refresh: { _, stored, next in try await next.dispatch(LoadRatesIfChanged(etag: stored.etag)) }
    )
}
// snippet.end
print(try await rates.dispatch(LoadRates()).euro)
print(try await rates.read(LoadRates(), .fresh).value.euro)

// snippet.store
let store = InMemoryCacheStore()  // In an application: try await SQLiteCacheStore(path: …), from DuetSQLite.
let lasting = try remote.caching(in: .memory(limit: .entries(1_000)).backed(by: store)) {
    Cache(LoadFeed.self, feedPolicy).stored(version: 1)
}
_ = try await lasting.dispatch(LoadFeed())
try await lasting.cache.flush()
// snippet.end
print("\(store.count) value is stored.")

// snippet.result
let result = try await dispatcher.read(LoadFeed(), .freshOrStale)
print(result.value, result.origin, result.isStale)
// snippet.end

// snippet.shared
@ListBuilder<CacheRule>
func feedRules() -> [CacheRule] {
    Cache(LoadFeed.self, feedPolicy)
    Invalidate(LoadFeed.self, after: PublishImage.self, RemoveImage.self)
}

let application = try remote.caching(in: .memory(limit: .entries(1_000)), feedRules)

func makeTested(with date: Date) throws -> CachingDispatcher {
    try remote.caching(in: .memory(limit: .entries(10)), now: { date }, feedRules)
}
// snippet.end
print("\(application.cache.rules.count) rules")

/// The credentials of the user.
actor Credentials {
    func drop() {}
}

// snippet.signout
func signOut(_ credentials: Credentials, screens: [Task<Void, Never>]) async throws {
    try await profiles.cache.signOut(
        atServer: { try await profiles.dispatch(SignOut()) },
        dropping: { await credentials.drop() },
        ending: { for screen in screens { screen.cancel() } }
    )
}
// snippet.end
try await signOut(Credentials(), screens: [])

// snippet.invalidate
cache.invalidate(LoadFeed.self)
cache.invalidate(LoadComments.self) { query in query.imageID == 7 }
cache.invalidate(tag: "account")
cache.invalidateAll()
// snippet.end

// snippet.events
let elsewhere = try remote.caching(in: .memory(limit: .entries(1_000))) {
    Cache(LoadFeed.self, .maxAge(.minutes(5)))
    Invalidate(LoadFeed.self, after: PublishImage.self, RemoveImage.self)
}
let invalidations = cache.invalidations
let connection = Task {
    for await invalidation in invalidations { elsewhere.cache.apply(invalidation) }
}
// snippet.end
connection.cancel()

/// A database that a handler uses.
actor Database {
    private var feed: [String] = []

    func transaction(_ body: @Sendable (inout [String]) throws -> Void) throws { try body(&feed) }
}

struct LoadFeedHandler: QueryHandler {
    let database: Database

    func download() async throws -> [String] { ["Harbor"] }

    // snippet.load
    func handle(_ query: LoadFeed) async throws -> [String] {
        let load = CacheLoad.current
        let items = try await download()
        try await database.transaction { feed in
            guard load?.isInvalidated != true else { return }
            feed = items
        }
        return items
    }
    // snippet.end
}

let saving = try StandardDispatcher { LoadFeedHandler(database: Database()) }
    .caching(in: .memory(limit: .entries(10))) { Cache(LoadFeed.self, feedPolicy) }
_ = try await saving.dispatch(LoadFeed())
print(feedPolicy)
