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
_ = try await profiles.dispatch(LoadProfile(userID: 7))
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

// snippet.model
let model = QueryModel(LoadProfile(userID: 7), in: profiles)
let appearance = Task { await model.run() }  // In SwiftUI: .task { await model.run() }
// snippet.end
await model.refresh()
while model.value == nil { await Task.yield() }
print(model.value ?? "", model.isLoading, model.isStale)
appearance.cancel()
