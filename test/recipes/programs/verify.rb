# Verifies the tokens of the arguments with ruby-jwt. Prints the subject or the error of each.
require 'json'
require 'jwt'
require 'net/http'

issuer, audience, alg = ENV.values_at('ISSUER', 'AUDIENCE', 'ALG')
jwks = JSON.parse(Net::HTTP.get(URI("#{issuer}/.well-known/jwks.json")))
options = {
  algorithms: [alg], jwks: jwks, iss: issuer, verify_iss: true, aud: audience, verify_aud: true
}
ARGV.each do |token|
  claims, = JWT.decode(token, nil, true, options)
  puts claims['sub']
rescue JWT::DecodeError => error
  puts error.class
end
