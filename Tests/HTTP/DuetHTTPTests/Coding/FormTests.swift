import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

struct FormTests {
    struct Charge: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .post("customers/{customer}/charges").formEncoded()
            .coding(HTTPCoding(keys: .snakeCase))
        var customer = "a/b"
        var amountInCents = 100
        var notes: [String] = []
        var description: String?
    }

    struct GetToken: HTTPQuery, Hashable {
        typealias Value = String
        static let route: QueryRoute<Self> = .post("token").formEncoded().parameterDefaults(["grant_type": "password"])
        var grant_type = "client_credentials"
        var scope: String?
    }

    @Test func `the properties are written like a query`() throws {
        let sent = try MessageCoder<Charge>(HTTPSettings()).encode(Charge(notes: ["x y", "&+é"], description: "="))
        #expect(sent.path == "customers/a%2Fb/charges")
        #expect(sent.headers[.contentType] == "application/x-www-form-urlencoded")
        let body = "amount_in_cents=100&notes=x%20y&notes=%26%2B%C3%A9&description=%3D"
        #expect(String(decoding: sent.body ?? Data(), as: UTF8.self) == body)
        let token = try MessageCoder<GetToken>(HTTPSettings()).encode(GetToken())
        #expect((token.path, token.body) == ("token", Data("grant_type=client_credentials".utf8)))
    }

    @Test func `a form is read as it was written`() throws {
        let charges = try Journey(Charge.self)
        for charge in [Charge(), Charge(customer: "é", notes: ["", "a"], description: "")] {
            #expect(try charges.end(of: charge) == charge)
        }
        let empty = try MessageCoder<Charge>(HTTPSettings()).encode(Charge(customer: "c")).body
        #expect(empty == Data("amount_in_cents=100".utf8))
        #expect(try Journey(GetToken.self).end(of: GetToken(scope: "a b")) == GetToken(scope: "a b"))
    }

    @Test func `a form of a browser is read, and anything else is refused`() throws {
        let coder = MessageCoder<Charge>(HTTPSettings())
        let type = "application/x-www-form-urlencoded; charset=UTF-8"
        let charge = try coder.decode(
            "amount_in_cents=5&notes=a+b",
            parameters: ["customer": "c"],
            contentType: type
        )
        #expect(charge == Charge(customer: "c", amountInCents: 5, notes: ["a b"]))
        let json = #expect(throws: HTTPMessageError.self) { try coder.decode("{}", parameters: ["customer": "c"]) }
        #expect(json?.description.contains("application/x-www-form-urlencoded") == true)
        let missing = #expect(throws: HTTPMessageError.self) {
            try coder.decode("notes=1", parameters: ["customer": "c"], contentType: type)
        }
        #expect(missing?.description == "amount_in_cents is missing.")
        let endpoint = try #require(try HTTPAPI { Charge.self }.endpoints.first)
        #expect(endpoint.consumes == ["application/x-www-form-urlencoded"])
    }

    @Test func `settings for JSON do not change the media type of a form`() throws {
        let settings = HTTPSettings(headers: [.contentType: "application/vnd.a+json"])
        let sent = try MessageCoder<Charge>(settings).encode(Charge())
        #expect(sent.headers[values: .contentType] == ["application/x-www-form-urlencoded"])
    }
}
