-- Run once in the database `shop`, by a role that may create roles. Give each role its password or certificate
-- afterwards (`\password shop` in psql).
create role shop_owner login;
create role shop login;
create role shop_worker login;
create schema callboard authorization shop_owner;
