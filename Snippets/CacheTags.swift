//! Tags, scopes, weights, conditional loads, and screens.

import Duet
import DuetCaching
import DuetContext
import Foundation

struct LoadProfile: Query, Hashable {
    typealias Value = String

    let userID: Int
}

struct LoadPhoto: Query, Hashable {
    typealias Value = Data

    let id: Int
}

struct LoadRates: Query, Hashable {
    typealias Value = Rates
}

struct Rates: Sendable {
    let etag: String
    let euro: Double
}

/// Asks for rates only if they have changed.
struct LoadRatesUnlessKnown: Query {
    typealias Value = Rates?

    let etag: String
}

struct User: Identifiable, Sendable {
    let id: Int
}

struct ListUsers: Query, Hashable {
    typealias Value = [User]

    let page: Int
}

struct ListUsersHandler: QueryHandler {
    func handle(_ query: ListUsers) async throws -> [User] { query.page < 3 ? [User(id: query.page)] : [] }
}

struct RenameUser: Command {
    let userID: Int
}

struct LoadProfileHandler: QueryHandler {
    func handle(_ query: LoadProfile) async throws -> String { "User \(query.userID)" }
}

struct LoadPhotoHandler: QueryHandler {
    func handle(_ query: LoadPhoto) async throws -> Data { Data(count: 100_000) }
}

struct LoadRatesHandler: QueryHandler {
    func handle(_ query: LoadRates) async throws -> Rates { Rates(etag: "1", euro: 1.1) }
}

struct LoadRatesUnlessKnownHandler: QueryHandler {
    func handle(_ query: LoadRatesUnlessKnown) async throws -> Rates? { nil }
}

struct RenameUserHandler: CommandHandler {
    func handle(_ command: RenameUser) async throws {}
}

let remote = try StandardDispatcher {
    LoadProfileHandler()
    ListUsersHandler()
    LoadPhotoHandler()
    LoadRatesHandler()
    LoadRatesUnlessKnownHandler()
    RenameUserHandler()
}

// snippet.tags
let profiles = try remote.caching(in: .memory(limit: .entries(1_000))) {
    Cache(LoadProfile.self, .maxAge(.hours(1)), tags: { ["user:\($0.userID)"] })
    Invalidate(tags: { ["user:\($0.userID)"] }, after: RenameUser.self)
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
        refresh: { _, stored, next in try await next.dispatch(LoadRatesUnlessKnown(etag: stored.etag)) }
    )
}
// snippet.end
print(try await rates.dispatch(LoadRates()).euro)

let users = try remote.caching(in: .memory(limit: .entries(10))) { Cache(ListUsers.self, .maxAge(.minutes(1))) }
// snippet.paged
let pages = PagedModel(
    ListUsers(page: 1),
    in: users,
    items: { $0 },
    next: { query, page in page.isEmpty ? nil : ListUsers(page: query.page + 1) }
)
await pages.load()
await pages.loadMore()
// snippet.end
print(pages.items.count, pages.hasMore)

// snippet.model
let model = QueryModel(LoadProfile(userID: 7), in: profiles)
let appearance = Task { await model.run() }  // In SwiftUI: .task { await model.run() }
// snippet.end
await model.refresh()
while model.value == nil { await Task.yield() }
print(model.value ?? "", model.isLoading, model.isStale)
appearance.cancel()
