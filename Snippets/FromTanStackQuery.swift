//! What TanStack Query does with hooks: rules in one place, models for screens, prefetching.

import Duet
import DuetCaching
import DuetTesting
import Foundation

// snippet.queries
struct Todo: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    let title: String
}

struct ListTodos: Query, Hashable {
    typealias Value = [Todo]

    var isDone = false
    var page = 1
}

struct LoadTodo: Query, Hashable {
    typealias Value = Todo

    let id: Int
}

struct AddTodo: Command {
    let id: Int
    let title: String
}

struct RenameTodo: Command {
    let id: Int
    let title: String
}
// snippet.end

actor Server {
    private(set) var requests = 0
    private var todos = [Todo(id: 1, title: "Milk")]

    func list(page: Int) -> [Todo] {
        requests += 1
        return page == 1 ? todos : []
    }

    func todo(_ id: Int) throws -> Todo {
        requests += 1
        guard let todo = todos.first(where: { $0.id == id }) else { throw URLError(.fileDoesNotExist) }
        return todo
    }

    func put(_ todo: Todo) throws {
        if todo.title.isEmpty { throw URLError(.badServerResponse) }
        todos.removeAll { $0.id == todo.id }
        todos.append(todo)
    }
}

struct ListTodosHandler: QueryHandler {
    let server: Server
    func handle(_ query: ListTodos) async throws -> [Todo] { await server.list(page: query.page) }
}

struct LoadTodoHandler: QueryHandler {
    let server: Server
    func handle(_ query: LoadTodo) async throws -> Todo { try await server.todo(query.id) }
}

struct AddTodoHandler: CommandHandler {
    let server: Server
    func handle(_ command: AddTodo) async throws { try await server.put(Todo(id: command.id, title: command.title)) }
}

struct RenameTodoHandler: CommandHandler {
    let server: Server
    func handle(_ command: RenameTodo) async throws { try await server.put(Todo(id: command.id, title: command.title)) }
}

let server = Server()
let remote = try StandardDispatcher {
    ListTodosHandler(server: server)
    LoadTodoHandler(server: server)
    AddTodoHandler(server: server)
    RenameTodoHandler(server: server)
}

// snippet.rules
let dispatcher = try remote.retrying(RetryPolicy(maximumAttempts: 4))  // retry: 3
    .caching(in: .memory(limit: .entries(1_000))) {
        Cache(ListTodos.self, .maxAge(.minutes(2)).staleWhileRevalidate(.minutes(5)))
        Cache(LoadTodo.self, .untilInvalidated, tags: { ["todo:\($0.id)"] })

        Invalidate(ListTodos.self, after: AddTodo.self, RenameTodo.self)
        Invalidate(tags: { ["todo:\($0.id)"] }, after: RenameTodo.self)
    }
// snippet.end

// snippet.query
let todos = QueryModel(ListTodos(), in: dispatcher)
let appearance = Task { await todos.run() }  // In SwiftUI: .task { await todos.run() }
// snippet.end
while todos.value == nil { await Task.yield() }
print(todos.value?.map(\.title) ?? [])

// snippet.mutation
let adding = CommandModel(AddTodo.self, in: dispatcher)
await adding.run(AddTodo(id: 2, title: "Bread"))
print(adding.error ?? "Added.")
// snippet.end
while todos.value?.count != 2 { await Task.yield() }
print(todos.value?.map(\.title) ?? [])

// snippet.infinite
let pages = PagedModel(
    ListTodos(),
    in: dispatcher,
    items: { $0 },
    next: { query, page in page.isEmpty ? nil : ListTodos(page: query.page + 1) }
)
await pages.load()
await pages.loadMore()
print(pages.items.count, pages.hasMore)
// snippet.end

// snippet.client
// queryClient.prefetchQuery
_ = try? await dispatcher.dispatch(LoadTodo(id: 1))

// queryClient.getQueryData: a fresh value, without await
let known = dispatcher.cache.peek(LoadTodo(id: 1))

// queryClient.fetchQuery with staleTime: 0
let fresh = try await dispatcher.read(LoadTodo(id: 1), .fresh).value

// queryClient.invalidateQueries
dispatcher.cache.invalidate(ListTodos.self)
dispatcher.cache.invalidate(ListTodos.self) { $0.page > 1 }
dispatcher.cache.invalidate(tag: "todo:1")
dispatcher.cache.invalidateAll()

// queryClient.clear
try await dispatcher.cache.removeAll()

// refetchOnWindowFocus, refetchOnReconnect: call this when the application becomes active, or is online again.
dispatcher.cache.refreshObserved()
// snippet.end
print(known?.title ?? "", fresh.title)

// snippet.interval
let polling = Task {
    for try await todos in dispatcher.observe(ListTodos(), refreshingEvery: .seconds(30)).values {
        print("\(todos.count) todos")
        break
    }
}
// snippet.end
try await polling.value

// snippet.explain
print(await dispatcher.cache.explain(LoadTodo(id: 1)))
print(dispatcher.cache.statistics(of: ListTodos.self))
// snippet.end
appearance.cancel()
