//! A repository with a decorator that caches, and the same as a query with a rule.
// swift-format-ignore-file: OrderedImports

import Foundation

// snippet.before
@MainActor
protocol Repository {
    func fetchData(completion: @escaping ([String]) -> Void)
}

final class CachedRepository: Repository {
    private let repository: any Repository
    private let cache = NSCache<NSString, NSArray>()

    init(_ repository: any Repository) { self.repository = repository }

    func fetchData(completion: @escaping ([String]) -> Void) {
        if let data = cache.object(forKey: "repository_data") as? [String] { return completion(data) }
        repository.fetchData { [cache] data in
            cache.setObject(data as NSArray, forKey: "repository_data")
            completion(data)
        }
    }
}
// snippet.end

actor DataService {
    private var data = ["Data 1", "Data 2"]

    func fetch() -> [String] { data }
    func delete(_ item: String) { data.removeAll { $0 == item } }
}

// snippet.messages
import Duet
import DuetCaching

struct FetchData: Query, Hashable {
    typealias Value = [String]
}

struct DeleteItem: Command {
    let item: String
}

struct FetchDataHandler: QueryHandler {
    let service: DataService
    func handle(_ query: FetchData) async throws -> [String] { await service.fetch() }
}

struct DeleteItemHandler: CommandHandler {
    let service: DataService
    func handle(_ command: DeleteItem) async throws { await service.delete(command.item) }
}
// snippet.end

// snippet.rules
func makeDispatcher(_ service: DataService) throws -> CachingDispatcher {
    try StandardDispatcher {
        FetchDataHandler(service: service)
        DeleteItemHandler(service: service)
    }
    .caching(in: .memory(limit: .entries(1_000))) {
        Cache(FetchData.self, .maxAge(.seconds(30)))
        Invalidate(FetchData.self, after: DeleteItem.self)
    }
}
// snippet.end

// snippet.bridge
struct DispatchingRepository: Repository {
    let dispatcher: any QueryDispatcher

    func fetchData(completion: @escaping ([String]) -> Void) {
        Task { completion((try? await dispatcher.dispatch(FetchData())) ?? []) }
    }
}
// snippet.end

let dispatcher = try makeDispatcher(DataService())

// snippet.use
print(try await dispatcher.dispatch(FetchData()))
try await dispatcher.dispatch(DeleteItem(item: "Data 1"))
print(try await dispatcher.dispatch(FetchData()))

dispatcher.cache.invalidate(FetchData.self)  // When only the application knows that the data is old.
// snippet.end

// snippet.observe
for await state in dispatcher.observe(FetchData()) {
    guard let data = state.value else { continue }
    print(data)
    break
}
// snippet.end

await withCheckedContinuation { done in
    CachedRepository(DispatchingRepository(dispatcher: dispatcher)).fetchData { data in
        print(data)
        done.resume()
    }
}
