//! A screen that still shows its values without a connection: an SQLite store behind the memory of a cache.

// snippet.messages
import Duet
import DuetCaching
import DuetSQLite
import Foundation

struct Photo: Codable, Equatable, Sendable {
    let id: Int
    let title: String
}

struct LoadFeed: Query, Hashable, Codable {
    typealias Value = [Photo]
}

struct PublishPhoto: Command {
    let title: String
}
// snippet.end

// snippet.server
struct NoConnection: Error, CustomStringConvertible {
    let description = "The server cannot be reached."
}

actor PhotoServer {
    var isReachable = true
    private var photos = [Photo(id: 1, title: "Harbor")]

    func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    func list() throws -> [Photo] {
        guard isReachable else { throw NoConnection() }
        return photos
    }

    func publish(_ title: String) throws {
        guard isReachable else { throw NoConnection() }
        photos.append(Photo(id: photos.count + 1, title: title))
    }
}

struct LoadFeedHandler: QueryHandler {
    let server: PhotoServer
    func handle(_ query: LoadFeed) async throws -> [Photo] { try await server.list() }
}

struct PublishPhotoHandler: CommandHandler {
    let server: PhotoServer
    func handle(_ command: PublishPhoto) async throws { try await server.publish(command.title) }
}

func makeRemote(_ server: PhotoServer) throws -> any Dispatcher {
    try StandardDispatcher {
        LoadFeedHandler(server: server)
        PublishPhotoHandler(server: server)
    }
}
// snippet.end

// snippet.compose
func makeDispatcher(
    caching remote: any Dispatcher,
    in file: URL,
    now: @escaping @Sendable () -> Date = { Date() }
) async throws -> CachingDispatcher {
    let store = try await SQLiteCacheStore(path: file.path)
    let memory = CacheMemory.memory(limit: .entries(1_000)).backed(by: store) { failure in print(failure) }
    return try remote.caching(in: memory, now: now) {
        Cache(LoadFeed.self, .maxAge(.minutes(5)).staleIfError(.days(7))).stored(version: 1)
        Invalidate(LoadFeed.self, after: PublishPhoto.self)
    }
}
// snippet.end

// snippet.limit
func makeStore(at path: String) async throws -> SQLiteCacheStore {
    let limit = SQLiteCacheStore.Limit(bytes: 16 * 1024 * 1024)
    return try await SQLiteCacheStore(path: path, limit: limit, onLoss: { print($0) })
}
// snippet.end

// snippet.screen
func show(_ state: QueryState<[Photo]>, at now: Date) {
    print("Photos:", state.value?.map(\.title).joined(separator: ", ") ?? "none")
    if state.isStale, let date = state.date {
        let age = Duration.seconds(now.timeIntervalSince(date))
        print("Saved \(age.formatted(.units(allowed: [.days, .hours, .minutes], width: .wide))) ago.")
    }
    if let error = state.error { print("Not up to date: \(error)") }
}
// snippet.end

// snippet.online
let folder = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
let file = folder.appending(component: "feed.sqlite")
// snippet.hide
defer { try? FileManager.default.removeItem(at: folder) }
// snippet.show

let server = PhotoServer()
let remote = try makeRemote(server)

print("The first launch, online")
let first = try await makeDispatcher(caching: remote, in: file)
let result = try await first.read(LoadFeed())
print("Photos:", result.value.map(\.title).joined(separator: ", "))
try await first.cache.flush()
// snippet.end

// snippet.offline
print("The second launch, an hour later and offline")
await server.setReachable(false)
let now: @Sendable () -> Date = { Date() + 3_600 }
let second = try await makeDispatcher(caching: remote, in: file, now: now)
for await state in second.observe(LoadFeed()) where !state.isLoading {
    show(state, at: now())
    if state.error != nil {
        print("The connection is back")
        await server.setReachable(true)
        second.cache.refreshObserved()
    } else if !state.isStale {
        break
    }
}
// snippet.end

// snippet.commands
/// Refuses commands while there is no connection, before they reach the cache.
struct CommandsNeedConnection: Middleware {
    let isConnected: @Sendable () async -> Bool

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if M.self is any Command.Type, await !isConnected() { throw NoConnection() }
        return try await next.dispatch(message)
    }
}

let features = second.with(CommandsNeedConnection { await server.isReachable })
// snippet.end

try await features.dispatch(PublishPhoto(title: "Lighthouse"))
_ = try await second.read(LoadFeed())
try await second.cache.flush()
await server.setReachable(false)
do {
    try await features.dispatch(PublishPhoto(title: "Bridge"))
    preconditionFailure("The command must be refused.")
} catch is NoConnection {}
let third = try await makeDispatcher(caching: remote, in: file)
let kept = try await third.read(LoadFeed(), .cacheFirst)
precondition(kept.value.count == 2 && kept.origin == .store && kept.error is NoConnection)

// A command that fails behind the cache marks the values as stale, because it may have done its work. They stay.
try? await third.dispatch(PublishPhoto(title: "Bridge"))
let served = try await third.read(LoadFeed())
precondition(served.isStale && served.error is NoConnection)
try await third.cache.flush()
let fourth = try await makeDispatcher(caching: remote, in: file)
let saved = try await fourth.read(LoadFeed())
precondition(saved.value.count == 2 && saved.isStale && saved.error is NoConnection)
