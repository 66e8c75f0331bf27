import Duet
import DuetCaching
import DuetCluster
import DuetContext
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization

struct Parcel: Codable, Equatable, Sendable {
    let id: Int
    var weight = 1
    var sent = Date(timeIntervalSinceReferenceDate: 800_000_000.125)
}

struct ListParcels: HTTPQuery, Codable, Hashable {
    typealias Value = [Parcel]
    static let route: QueryRoute<Self> = .get("parcels")
}

struct CountParcels: HTTPQuery, Codable, Hashable {
    typealias Value = Int
    static let route: QueryRoute<Self> = .get("parcels/count")
}

struct LoadSender: HTTPQuery, Codable, Hashable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("sender")
    /// Whether the value is not the principal, but whether the handler works for a client of the program.
    var isAboutClients = false
}

struct SendParcel: HTTPCommand, Codable {
    static let route: CommandRoute<Self> = .post("parcels").throwing(TooHeavy.self)
    let id: Int
    var weight = 1
}

/// Its weight is not encoded.
struct WeighParcel: HTTPCommand, Codable, Equatable {
    static let route: CommandRoute<Self> = .post("parcels/{id}/weight")
    let id: Int
    var weight: Int

    enum CodingKeys: CodingKey { case id }

    init(id: Int, weight: Int) {
        self.id = id
        self.weight = weight
    }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        weight = 0
    }
}

/// Its error is not declared.
struct LoseParcel: HTTPCommand, Codable {
    static let route: CommandRoute<Self> = .delete("parcels/{id}")
    let id: Int
}

struct FindParcel: HTTPQuery, Hashable {
    typealias Value = Parcel?
    static let route: QueryRoute<Self> = .get("parcels/{id}")
    let id: Int
}

/// The handler chooses the identifier.
///
/// With a negative label, the content tells another one.
struct OpenParcel: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("parcels/open")
    let label: Int

    func answer(from content: Parcel??) -> FindParcel? {
        content.flatMap { $0 }.map { FindParcel(id: label < 0 ? 0 : $0.id) }
    }
}

/// The dates of its value are sent without fractions.
struct ListDates: HTTPQuery, Codable, Hashable {
    struct Value: Codable, Equatable, Sendable {
        var dates: [Date]

        init(dates: [Date]) { self.dates = dates }

        init(from decoder: any Decoder) throws {
            dates = try decoder.singleValueContainer().decode([Double].self).map(Date.init(timeIntervalSince1970:))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(dates.map { $0.timeIntervalSince1970.rounded() })
        }
    }

    static let route: QueryRoute<Self> = .get("parcels/dates")
}

struct TooHeavy: HTTPProblem, Equatable {
    static let problemType = "too-heavy"
    let weight: Int
    var status: HTTPResponse.Status { .unprocessableContent }
}

struct NothingLost: Error, Equatable {}

/// The state behind the handlers.
final class Shop: Sendable {
    private let parcels = Mutex([Parcel(id: 1)])

    var all: [Parcel] { parcels.withLock { $0 } }

    func dispatcher() throws -> StandardDispatcher {
        try StandardDispatcher {
            ListParcelsHandler(shop: self)
            CountParcelsHandler(shop: self)
            ListDatesHandler(shop: self)
            LoadSenderHandler()
            SendParcelHandler(shop: self)
            WeighParcelHandler(shop: self)
            LoseParcelHandler()
            FindParcelHandler(shop: self)
            OpenParcelHandler(shop: self)
        }
    }

    func change(_ body: (inout [Parcel]) -> Void) { parcels.withLock { body(&$0) } }
}

private struct ListParcelsHandler: QueryHandler {
    let shop: Shop
    func handle(_ query: ListParcels) async throws -> [Parcel] { shop.all }
}

private struct CountParcelsHandler: QueryHandler {
    let shop: Shop
    func handle(_ query: CountParcels) async throws -> Int { shop.all.count }
}

private struct ListDatesHandler: QueryHandler {
    let shop: Shop
    func handle(_ query: ListDates) async throws -> ListDates.Value { ListDates.Value(dates: shop.all.map(\.sent)) }
}

private struct LoadSenderHandler: QueryHandler {
    func handle(_ query: LoadSender) async throws -> [String] {
        if query.isAboutClients { return ["\(Task.isServingRequest)"] }
        guard let principal = Principal.current else { return [] }
        return [principal.id] + principal.scopes.sorted()
    }
}

private struct SendParcelHandler: CommandHandler {
    let shop: Shop
    func handle(_ command: SendParcel) async throws {
        guard command.weight <= 30 else { throw TooHeavy(weight: command.weight) }
        shop.change { $0.append(Parcel(id: command.id, weight: command.weight)) }
    }
}

private struct WeighParcelHandler: CommandHandler {
    let shop: Shop
    func handle(_ command: WeighParcel) async throws {
        shop.change { parcels in
            for index in parcels.indices where parcels[index].id == command.id {
                parcels[index].weight = command.weight
            }
        }
    }
}

private struct LoseParcelHandler: CommandHandler {
    func handle(_ command: LoseParcel) async throws { throw NothingLost() }
}

private struct FindParcelHandler: QueryHandler {
    let shop: Shop
    func handle(_ query: FindParcel) async throws -> Parcel? { shop.all.first { $0.id == query.id } }
}

private struct OpenParcelHandler: AnsweringHandler {
    let shop: Shop
    func handle(_ command: OpenParcel) async throws -> FindParcel {
        let id = shop.all.count + 1
        shop.change { $0.append(Parcel(id: id)) }
        return FindParcel(id: id)
    }
}

extension Place {
    /// - Parameter rules: The rules after the commands.
    static func shop(@ListBuilder<CacheRule> _ rules: @escaping @Sendable () -> [CacheRule]) -> Place {
        .cache {
            try QueryCache(in: .memory(limit: .entries(100))) {
                Cache(ListParcels.self, .maxAge(.minutes(5)))
                Cache(CountParcels.self, .maxAge(.minutes(5)))
                rules()
            }
        }
    }

    static let shopCache = Place.shop {
        Invalidate(ListParcels.self, after: SendParcel.self, WeighParcel.self, OpenParcel.self)
        Invalidate(CountParcels.self, after: SendParcel.self, OpenParcel.self)
    }

}

extension Shop {
    static let messages = MessageAPI("shop", authorized: .open) {
        ListParcels.self
        CountParcels.self
        LoadSender.self
        ListDates.self
        SendParcel.ordered(by: \.id)
        WeighParcel.ordered(by: \.id)
        LoseParcel.self
        FindParcel.self
        OpenParcel.self
    }
}
